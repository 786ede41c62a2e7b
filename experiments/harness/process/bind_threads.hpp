// Each thread on a core of its own, as a thread that moves between cores loses its caches.
#pragma once

namespace brickwork {

// Unless the user says how threads are bound (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY), sets
// OMP_PROC_BIND=close and OMP_PLACES=cores and starts this program again, once: OpenMP reads its variables before
// main() begins. environment.json records both variables. Does nothing where the program cannot be started again.
void bind_threads(char** argv);

// The hardware threads of all of OpenMP's places become those of the calling thread again, which a binding has to one
// of them, so that programs that it starts have them all.
void unbind_this_thread();

}  // namespace brickwork
