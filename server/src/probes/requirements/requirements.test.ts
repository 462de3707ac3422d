// The table of causes against real servers: each state is brought about, read, judged, mended by running the very
// remedy in that state, and read again.
