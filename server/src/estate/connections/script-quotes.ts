// Names and texts within SQL that we print. Pure.

export const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Also right where standard_conforming_strings is off. */
export const quoteText = (text: string) =>
  text.includes('\\')
    ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`;
