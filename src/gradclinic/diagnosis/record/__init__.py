"""What ran: the trace writes it down, line by line, and judges nothing."""
