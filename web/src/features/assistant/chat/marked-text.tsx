// A text of an answer with its figures: those that a step shows lead there, the others are marked.
import { Link } from 'react-router';
import classes from './chat.module.css';
import type { Figure } from './chat-state.ts';
import { ownPath } from './own-path.ts';

interface Piece {
  at: number;
  text: string;
  figure: Figure | undefined;
}

/**
 * The text cut at its figures. `places`: where each of its characters stands in the whole answer, ascending. A figure that overlaps an
 * earlier one is left as text.
 */
function piecesOf(
  text: string,
  places: (index: number) => number,
  figures: readonly Figure[],
): readonly Piece[] {
  const pieces: Piece[] = [];
  /** The first character that stands there or behind. */
  const indexOf = (place: number) => {
    let [low, high] = [0, text.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places(middle) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  let at = 0;
  for (const figure of figures.toSorted((a, b) => a.start - b.start)) {
    const [from, to] = [indexOf(figure.start), indexOf(figure.end)];
    if (from < at || from >= to) continue;
    if (from > at) pieces.push({ at, text: text.slice(at, from), figure: undefined });
    pieces.push({ at: from, text: text.slice(from, to), figure });
    at = to;
  }
  if (at < text.length) pieces.push({ at, text: text.slice(at), figure: undefined });
  return pieces;
}

function OnePiece({ piece: { text, figure } }: { piece: Piece }) {
  if (!figure) return text;
  if (!figure.is_proven)
    return (
      <span className={classes.unproven} title="No step of this answer shows this figure">
        {text}
        <span className="visually-hidden"> (not shown by any step)</span>
      </span>
    );
  const path = ownPath(figure.link);
  return path === undefined ? (
    text
  ) : (
    <Link className={classes.proven} to={path} title={`Shown by step ${figure.step ?? ''}`}>
      {text}
    </Link>
  );
}

export interface MarkedTextProps {
  text: string;
  places: (index: number) => number;
  figures: readonly Figure[];
}

export function MarkedText({ text, places, figures }: MarkedTextProps) {
  return piecesOf(text, places, figures).map((piece) => <OnePiece key={piece.at} piece={piece} />);
}
