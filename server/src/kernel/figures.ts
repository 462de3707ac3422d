// What this process counts of itself, gathered from its parts when somebody asks. Guards: names, labels and values are ours alone; no
// name of a server, database or person, and no text from outside, is a label.

export interface FigureValue {
  labels?: Readonly<Record<string, string>>;
  /** Null: not known, so it is left out. */
  value: number | null;
}

export interface Figure {
  /** With its unit; that of a counter ends with `_total`. */
  name: string;
  type: 'gauge' | 'counter';
  help: string;
  values: readonly FigureValue[];
}

export type FigureSource = () => readonly Figure[];

export const gauge = (name: string, help: string, value: number | null): Figure => ({
  ...{ name, type: 'gauge', help },
  values: [{ value }],
});

export const counter = (name: string, help: string, value: number): Figure => ({
  ...{ name, type: 'counter', help },
  values: [{ value }],
});

/** Where the parts of a process say what they count. */
export class Figures {
  readonly #sources: FigureSource[] = [];

  add(source: FigureSource): void {
    this.#sources.push(source);
  }

  /** Several parts may count the same, each under labels of its own: then it is one figure with the values of all. */
  read(): readonly Figure[] {
    const read = new Map<string, Figure>();
    for (const figure of this.#sources.flatMap((source) => source())) {
      const values = read.get(figure.name)?.values ?? [];
      read.set(figure.name, { ...figure, values: [...values, ...figure.values] });
    }
    return [...read.values()];
  }
}
