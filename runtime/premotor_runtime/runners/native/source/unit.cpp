// Everything that knows the model's shape, as one unit: half the time of compiling it apart. build.py compiles this file,
// pool.cpp and linear*.cpp.
#include "model.cpp"
#include "adapters.cpp"
#include "attention.cpp"
#include "pace.cpp"
#include "words.cpp"
#include "work.cpp"
#include "runner.cpp"
#include "abi.cpp"
