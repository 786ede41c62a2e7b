// The host's execution spaces of this build of Kokkos, for tests that run on all of them.
#pragma once
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

namespace brickwork {

using HostSpaces = testing::Types<Kokkos::DefaultHostExecutionSpace
#ifdef KOKKOS_ENABLE_SERIAL
                                  ,
                                  Kokkos::Serial
#endif
                                  >;

}  // namespace brickwork
