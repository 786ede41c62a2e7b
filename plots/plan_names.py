"""Names of contenders that run another plan than the default one, and the words for them. All else in the figures follows from these lists.

A contender's name with an ending of ENDINGS is the same program with a plan that was chosen in another way. The figures of plans show
them, and no others do.
"""

# The first plan of each ranking runs as NAME-latency and so on; the fastest of its first 5 %, which were measured, as NAME-latency-top.
RANKINGS = {
    "latency": "latencies as in the paper",
    "measured": "measured latencies and bandwidths",
    "trees": "pairwise decision trees",
    "network": "neural network",
    "lru": "simulated LRU caches",
}
TOP = "-top"
SEARCHED = "-searched"  # the best plan that a search from the default plan found
RANDOM = "-random"  # the best of plans drawn at random, measured for as many seconds as the search
METASCHEDULE = "tvm-metaschedule"  # a peer with plans of its own

FIRST_ENDINGS = {f"-{name}": words for name, words in RANKINGS.items()}
MEASURED_ENDINGS = {
    **{f"-{name}{TOP}": f"{words}, best of the first 5 %" for name, words in RANKINGS.items()},
    SEARCHED: "search", RANDOM: "random plans",
}  # fmt: skip
ENDINGS = FIRST_ENDINGS | MEASURED_ENDINGS

# The neural ranking of PolyDL (arXiv 2006.02230) on its ten matrix products and 28 threads, from the measurements that its authors
# published: the speed with its first plan and with the best of the first 5 % over that with the best plan, in geometric mean; the worst.
PAPERS = {"first": 0.958, "top": 0.974, "worst": 0.787}
