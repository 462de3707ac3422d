// Words of texts and of names, as they are looked for. Pure. Guards: a name is found whole and by its parts, whether it is written
// with underscores, points or capitals.

/** Said of everything, so that they tell nothing. */
const COMMON = new Set(
  `a about all an and are as at be but by can do does for from get has have how i if in into is it its me mean means my not of on or
  our out postgres postgresql server set should so tell than that the them there these this to too use used was we what when where
  which while who why will with you your`.split(/\s+/),
);

/** So that `locks`, `locked` and `locking` are found by `lock`; crude, and the same for both sides. */
function stem(word: string): string {
  if (word.length < 5 || /\d/.test(word)) return word;
  const bare = word.replace(/(?:ies)$/, 'y').replace(/(?:ing|ed|es|s)$/, '');
  return bare.length < 3 ? word : bare.replace(/(.)\1$/, '$1').replace(/e$/, '');
}

const spaced = (text: string) =>
  text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/(?<![A-Z])([A-Z]+)([A-Z][a-z])/g, '$1 $2');

/** What people call it otherwise, by stem. A map, since every plain object has a `constructor`, which people may look for. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['tupl', 'row'],
  ['query', 'statement'],
  ['sql', 'statement'],
  ['replica', 'standby'],
  ['master', 'primary'],
  ['ram', 'memory'],
  ['conn', 'connection'],
]);

/** Words of running text. */
export function wordsOf(text: string): string[] {
  const found =
    spaced(text)
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? [];
  return found
    .filter((word) => !COMMON.has(word))
    .map(stem)
    .map((word) => SAME.get(word) ?? word);
}

/** A name as one word: `max_wal_size`, `WALWrite` and `wal write` alike. */
export const wholeName = (text: string): string => text.toLowerCase().replace(/[^a-z\d]/g, '');

export interface SearchedName {
  name: string;
  /**
   * `sure`: it looks like a name, or is all that was asked. `word`: of running text, which tells less where it is also a name. `joined`: of
   * several words, which is a name only as a whole.
   */
  as: 'sure' | 'word' | 'joined';
}

const LOOKS_LIKE_NAME = /[a-z\d]_[a-z\d]|[a-z][A-Z]|^[A-Z]{2,}[a-z]|^[A-Z\d]{5}$/;
const MOST_JOINED = 4;

/** What of a question may be a name, also written as several words (`work mem`). */
export function namesIn(query: string): SearchedName[] {
  const written = (query.match(/[A-Za-z\d_.:/]+/g) ?? []).map(
    (word) => word.split(/[.:/]/).findLast((part) => part !== '') ?? '',
  );
  const found = new Map<string, SearchedName['as']>();
  for (const word of written) {
    const name = wholeName(word);
    const isSure = written.length === 1 || LOOKS_LIKE_NAME.test(word);
    if (name !== '' && found.get(name) !== 'sure') found.set(name, isSure ? 'sure' : 'word');
  }
  for (let count = 2; count <= MOST_JOINED; count += 1)
    for (let from = 0; from + count <= written.length; from += 1)
      found.set(wholeName(written.slice(from, from + count).join('')), 'joined');
  return [...found].map(([name, as]) => ({ name, as }));
}
