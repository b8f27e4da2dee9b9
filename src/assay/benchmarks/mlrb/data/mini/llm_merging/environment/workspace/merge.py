"""A plain first solution: the best single expert."""

from experts import load, save

save(load("plays"))
