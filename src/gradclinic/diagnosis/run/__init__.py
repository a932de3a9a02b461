"""A whole program under the trace: `gradclinic run`."""
