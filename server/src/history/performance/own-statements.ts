// Which statements of a monitored server are ours: each has its name in a comment behind its first word, or at its begin where
// PostgreSQL keeps that (kernel/statement-name.ts). Pure.

/** A regular expression of PostgreSQL, and of this language too. */
export const OWN_STATEMENT =
  '^\\s*([A-Za-z]+\\s+)?/\\* (advice|collector|hosts|live|logs|probe|requirements|server_info|target)\\.[a-z0-9_.]+ \\*/';

const OWN = new RegExp(OWN_STATEMENT);

/** Of a text that is not known, nothing is known. */
export const isOwnStatement = (text: string | null): boolean => text !== null && OWN.test(text);
