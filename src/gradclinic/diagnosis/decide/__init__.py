"""Why a gradient is as it is: read off the graph, the tensors and, where there is one, the record of the trace."""
