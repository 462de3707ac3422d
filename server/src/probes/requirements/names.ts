// Names of monitored servers inside sentences and inside SQL that somebody copies. Guards: a hostile name can neither
// break out of the SQL that we tell people to run nor hide in a sentence behind control or direction characters.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const ALL_HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const PLAIN = /^[a-z_][a-z0-9_]*$/;

const escaped = (character: string) =>
  `\\+${(character.codePointAt(0) ?? 0).toString(16).padStart(6, '0').toUpperCase()}`;

/** An identifier for SQL that somebody copies; characters that cannot be seen are written as numbers. */
export function identifier(name: string): string {
  const quoted = name.replaceAll('"', '""');
  if (HIDDEN.test(name)) return `U&"${quoted.replaceAll('\\', '\\\\').replace(ALL_HIDDEN, escaped)}"`;
  return PLAIN.test(name) ? name : `"${quoted}"`;
}

/** A name inside a sentence. */
export function shown(name: string): string {
  return name.replace(ALL_HIDDEN, '\ufffd').slice(0, 200);
}
