"""What of an ONNX graph runs on a DLA core, decided without a board.

`checker.check_file` and `checker.check_model` give a `report.Report`; `target.make_target` says for which board,
precision and TensorRT; `rewriting.rewrite_model` applies what brings nodes onto DLA. Facts are rules, each with its
source and how sure it is: A read in primary text, B in a secondary one, C derived.

Nothing is imported here, so that the command line does not wait for onnx.
"""
