// How the lines of a chart are told apart: by colour, and without it by their dashes.
const DASHES = [undefined, '7 4', '2 3', '9 3 2 3', '12 3'] as const;
const COLOURS = 5;

export interface Look {
  /** A custom property of tokens.css. */
  colour: string;
  dash: string | undefined;
}

/** Ten looks, each line differing from the others in colour or dashes, the first five in both. */
export const lookOf = (index: number): Look => ({
  colour: `--series-${(index % COLOURS) + 1}`,
  dash: DASHES[(index + Math.floor(index / COLOURS)) % DASHES.length],
});
