// Every statement of ours carries its name in a comment. PostgreSQL 18 cuts off a comment at the very beginning of a
// text before pg_stat_statements keeps it, so on its way out the name moves behind the first word.

const LEADING_NAME = /^\s*(\/\*[^*]*\*\/)\s*([a-z]+)/i;

/** Puts a leading comment behind the first keyword; any other text stays as it is. */
export function withVisibleName(text: string): string {
  return text.replace(LEADING_NAME, '$2 $1');
}

/** Of statements whose texts are always the same. */
const visibleTexts = new Map<string, string>();

export function visibleText(name: string, text: string): string {
  const known = visibleTexts.get(name) ?? withVisibleName(text);
  visibleTexts.set(name, known);
  return known;
}
