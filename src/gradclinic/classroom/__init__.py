"""A whole class: many submissions graded, and the results in the forms that instructors use."""
