"""TensorRT and TensorRT-RTX: one builder for both, engines, memory and runs; the vendor's packages load lazily."""
