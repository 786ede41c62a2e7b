// Whether a baseline can include HEADER: the build decides.
#include HEADER
