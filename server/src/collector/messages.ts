// Sentences and SQL that name things of monitored servers. Guards: a hostile name can neither break out of the SQL
// that we tell people to run nor hide in a sentence behind control or direction characters.

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

export const noConnect = (database: string, role: string) => ({
  reason: `The role ${shown(role)} may not connect to the database ${shown(database)}.`,
  cause: 'missing_grant' as const,
  mend: `grant connect on database ${identifier(database)} to ${identifier(role)};`,
});

export const noExtension = (extension: string, database: string) => ({
  reason: `The extension ${shown(extension)} is not installed in the database ${shown(database)}.`,
  cause: 'missing_extension' as const,
  mend: `create extension ${identifier(extension)};`,
});

export function noRelation(relation: string, at: { database: string; username: string }): string {
  const name = shown(relation.replace(/^@([^.]*)\.(.*)$/, '$2 of the extension $1'));
  return `There is no ${name} in the database ${shown(at.database)} that the role ${shown(at.username)} may read.`;
}

export const tooOld = (needed: number, found: number) => ({
  reason: `This needs PostgreSQL ${Math.floor(needed / 10_000)}; the server runs ${Math.floor(found / 10_000)}.`,
  cause: 'not_applicable' as const,
  mend: null,
});

export const hiddenValues = (role: string, without: string) => ({
  note: `Values of others are hidden from the role ${shown(role)}, which lacks the rights of ${without}.`,
  cause: 'masked' as const,
  mend: `grant ${without} to ${identifier(role)};`,
});
