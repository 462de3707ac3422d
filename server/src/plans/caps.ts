// How much of a plan is read. Guards: a file from anywhere costs bounded time and memory; each bound is named in a sentence.

/** Characters of a pasted text or a file; a plan of 10,000 nodes takes about 10 million in XML. */
export const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Of a text, such as a log with plans in it. */
export const MOST_LINES = 1_000_000;
export const MOST_NODES = 20_000;
/** Levels of nodes below each other. PostgreSQL itself gives up on statements long before. */
export const MOST_LEVELS = 1000;
/** Plans that are read of one text, such as a log. */
export const MOST_PLANS = 1000;
