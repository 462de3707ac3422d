// Plain SQL with bound parameters. Values only ever travel as parameters; fragments nest; there is no way to put
// a string into the text except by writing it in the source.

export interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
}

class Fragment implements Sql {
  readonly strings: readonly string[];
  readonly parts: readonly unknown[];
  #built: { text: string; values: unknown[] } | undefined;

  constructor(strings: readonly string[], parts: readonly unknown[]) {
    this.strings = strings;
    this.parts = parts;
  }

  #build(): { text: string; values: unknown[] } {
    this.#built ??= render(this);
    return this.#built;
  }
  get text(): string {
    return this.#build().text;
  }
  get values(): readonly unknown[] {
    return this.#build().values;
  }
}

function render(root: Fragment): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const write = (fragment: Fragment): string =>
    fragment.strings.reduce((text, piece, index) => {
      if (index === 0) return piece;
      const part = fragment.parts[index - 1];
      if (part instanceof Fragment) return text + write(part) + piece;
      values.push(part);
      return `${text}$${values.length}${piece}`;
    }, '');
  return { text: write(root), values };
}

/**
 * Builds a statement; every interpolated value becomes a parameter, every interpolated `sql` a part of the text.
 * Statements begin with their name in a comment, so that pg_stat_statements shows who sent them.
 */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Fragment(strings, parts);
}

/** Fragments with a separator between them. */
export function join(fragments: readonly Sql[], separator: Sql): Sql {
  const parts = fragments.flatMap((fragment, index) => (index === 0 ? [fragment] : [separator, fragment]));
  return new Fragment(
    Array.from({ length: parts.length + 1 }, () => ''),
    parts,
  );
}

export const empty: Sql = new Fragment([''], []);
