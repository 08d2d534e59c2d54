// Times RichDEM's own C++ on a raw raster of float32, one operation after the other, in CPU-seconds of one thread.
// Built by peers.py against the headers of the source package on PyPI; nothing of RichDEM is kept here.
//   driver FILE.npy SIDE REPEATS   -> one line "operation seconds" for each
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "richdem/common/Array2D.hpp"
#include "richdem/depressions/Barnes2014.hpp"
#include "richdem/depressions/Lindsay2016.hpp"
#include "richdem/depressions/Wei2018.hpp"
#include "richdem/flats/flat_resolution.hpp"
#include "richdem/flowmet/d8_flowdirs.hpp"
#include "richdem/methods/d8_methods.hpp"

using namespace richdem;
using Surface = Array2D<float>;

static double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

static void report(const char *name, int repeats, const std::function<double()> &once) {
  double best = 1e300;
  for (int i = 0; i < repeats; i++) best = std::min(best, once());
  std::printf("%s %.4f\n", name, best);
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const int side = std::atoi(argv[2]), repeats = std::atoi(argv[3]);
  std::ifstream file(argv[1], std::ios::binary);
  file.seekg(-4L * side * side, std::ios::end);
  Surface land(side, side);
  file.read(reinterpret_cast<char *>(land.getData()), 4L * side * side);
  if (!file) return 1;
  land.setNoData(-9999);

  const auto timed = [&](const Surface &from, const std::function<void(Surface &)> &work) {
    Surface copy = from;
    const double start = cpu_seconds();
    work(copy);
    return cpu_seconds() - start;
  };
  report("fill", repeats, [&] { return timed(land, [](Surface &s) { PriorityFlood_Wei2018(s); }); });
  report("fill_epsilon", repeats, [&] {
    return timed(land, [](Surface &s) { PriorityFloodEpsilon_Barnes2014<Topology::D8>(s); });
  });
  report("breach", repeats, [&] {
    return timed(land, [](Surface &s) { CompleteBreaching_Lindsay2016<Topology::D8>(s); });
  });
  report("fill_and_directions", repeats, [&] {
    Array2D<d8_flowdir_t> directions(land);
    return timed(land, [&](Surface &s) { PriorityFloodFlowdirs_Barnes2014(s, directions); });
  });

  Surface filled = land;
  PriorityFlood_Wei2018(filled);
  report("d8", repeats, [&] {
    Array2D<d8_flowdir_t> directions;
    return timed(filled, [&](Surface &s) { d8_flow_directions(s, directions); });
  });
  Array2D<d8_flowdir_t> drained;
  report("d8_flats", repeats, [&] {
    drained = Array2D<d8_flowdir_t>();
    return timed(filled, [&](Surface &s) { barnes_flat_resolution_d8(s, drained, false); });
  });
  report("accumulation", repeats, [&] {
    Array2D<int32_t> area;
    const double start = cpu_seconds();
    d8_flow_accum(drained, area);
    return cpu_seconds() - start;
  });
}
