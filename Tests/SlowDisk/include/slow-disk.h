// Nothing calls it: it is preloaded.
