// What could not be judged because our role may not read it: a grant ends it, so it goes before all else that is unknown. Pure.
export const isWithheld = ({ mend }: { readonly mend: string | null }): boolean =>
  mend !== null && /^grant\b/im.test(mend);

/** A stable order: what is withheld first, the rest as it was. */
export const withheldFirst = <T extends { readonly mend: string | null }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => Number(isWithheld(b)) - Number(isWithheld(a)));
