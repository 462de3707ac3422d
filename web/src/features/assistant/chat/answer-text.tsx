// The text of an answer, as Markdown. Guards: markup, pictures and addresses of other sites stand as text; only pages of Matriarch are
// opened; each figure is marked where it stands, and one that cannot be is named below.

import type { Link as LinkNode, Nodes, Text } from 'mdast';
import { memo, type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import { CodeBlock } from '../../../ui/code-block.tsx';
import layout from '../../../ui/layout.module.css';
import { listOf, tableOf } from './answer-blocks.tsx';
import classes from './chat.module.css';
import type { Figure, Statement } from './chat-state.ts';
import {
  AS_WRITTEN,
  DEEPEST,
  languageOf,
  overlaps,
  type Part,
  partsOf,
  placesOf,
  rangeOf,
  seenIn,
  treeOf,
} from './markdown.ts';
import { MarkedText } from './marked-text.tsx';
import { OneStatement } from './one-statement.tsx';
import { ownPath } from './own-path.ts';

interface PartProps extends Part {
  figures: readonly Figure[];
  statements: readonly Statement[];
}

/** Makes what stands for a node; `depth` of the blocks around it. */
class Writer {
  readonly #part: PartProps;

  constructor(part: PartProps) {
    this.#part = part;
  }

  readonly all = (nodes: readonly Nodes[], depth: number): ReactNode[] =>
    nodes.map((node) => this.one(node, depth));

  /** As it is written. */
  #source(node: Nodes): ReactNode {
    const { text, base, figures } = this.#part;
    const { start, end } = rangeOf(node);
    return (
      <MarkedText
        key={start}
        text={text.slice(start, end)}
        places={(index) => base + start + index}
        figures={figures}
      />
    );
  }

  #text(node: Text): ReactNode {
    const { text, base, figures } = this.#part;
    const places = placesOf(node, text);
    if (!places) return node.value;
    const place = (index: number) => base + (places[index] ?? Number.POSITIVE_INFINITY);
    return <MarkedText key={rangeOf(node).start} text={node.value} places={place} figures={figures} />;
  }

  /** A page of ours as a whole, in which only figures without proof are marked: a link within a link cannot be. */
  #link(node: LinkNode, depth: number): ReactNode {
    const { start } = rangeOf(node);
    const path = ownPath(node.url);
    if (path !== undefined) {
      const figures = this.#part.figures.filter((one) => !one.is_proven);
      return (
        <Link key={start} className="link" to={path}>
          {new Writer({ ...this.#part, figures }).all(node.children, depth)}
        </Link>
      );
    }
    const [only] = node.children;
    const isItself = only?.type === 'text' && only.value === node.url;
    return (
      <span key={start}>
        {this.all(node.children, depth)}
        {isItself ? null : ` (${node.url})`}
      </span>
    );
  }

  #code(node: Extract<Nodes, { type: 'code' }>): ReactNode {
    const { base, statements } = this.#part;
    const { start, end } = rangeOf(node);
    const place = { start: base + start, end: base + end };
    const found = statements.find((one) => overlaps(one, place));
    return found ? (
      <OneStatement key={start} statement={found} />
    ) : (
      <CodeBlock key={start} code={node.value} label={languageOf(node)} />
    );
  }

  one(node: Nodes, depth: number): ReactNode {
    const { start } = rangeOf(node);
    if (depth > DEEPEST) return this.#source(node);
    if (AS_WRITTEN.has(node.type)) return this.#source(node);
    const inside = () => ('children' in node ? this.all(node.children, depth + 1) : null);
    switch (node.type) {
      case 'text':
        return this.#text(node);
      case 'link':
        return this.#link(node, depth + 1);
      case 'code':
        return this.#code(node);
      case 'inlineCode':
        return <code key={start}>{node.value}</code>;
      case 'paragraph':
        return <p key={start}>{inside()}</p>;
      case 'heading':
        return <h4 key={start}>{inside()}</h4>;
      case 'emphasis':
        return <em key={start}>{inside()}</em>;
      case 'strong':
        return <strong key={start}>{inside()}</strong>;
      case 'blockquote':
        return <blockquote key={start}>{inside()}</blockquote>;
      case 'list':
        return listOf(node, (item) => this.all(item.children, depth + 2));
      case 'table':
        return tableOf(node, (cell) => this.all(cell.children, depth + 3));
      case 'thematicBreak':
        return <hr key={start} />;
      case 'break':
        return <br key={start} />;
      default:
        return this.#source(node);
    }
  }
}

const AnswerPart = memo(function AnswerPart(part: PartProps) {
  const { base, text, figures } = part;
  const root = treeOf(text);
  if (!root)
    return (
      <p>
        <MarkedText text={text} places={(index) => base + index} figures={figures} />
      </p>
    );
  return new Writer(part).all(root.children, 1);
});

const NO_FIGURES: readonly Figure[] = [];
const NO_STATEMENTS: readonly Statement[] = [];

/** Those of the part; the same list where there are none, so that it is not drawn again for nothing. */
function within<T extends { start: number; end: number }>(all: readonly T[], part: Part, none: readonly T[]) {
  const range = { start: part.base, end: part.base + part.text.length };
  const found = all.filter((one) => overlaps(one, range));
  return found.length === 0 ? none : found;
}

export interface AnswerTextProps {
  text: string;
  figures: readonly Figure[];
  statements: readonly Statement[];
  isRunning: boolean;
}

export function AnswerText({ text, figures, statements, isRunning }: AnswerTextProps) {
  const parts = useMemo(() => partsOf(text), [text]);
  const left = useMemo(() => {
    if (figures.length === 0 && statements.length === 0) return undefined;
    const { texts, codes } = seenIn(parts);
    return {
      figures: figures.filter((one) => !one.is_proven && !texts.some((place) => overlaps(one, place))),
      statements: statements.filter((one) => !codes.some((place) => overlaps(one, place))),
    };
  }, [parts, figures, statements]);
  return (
    <>
      <div className={classes.text} aria-busy={isRunning}>
        {parts.map((part) => (
          <AnswerPart
            key={part.base}
            {...part}
            figures={within(figures, part, NO_FIGURES)}
            statements={within(statements, part, NO_STATEMENTS)}
          />
        ))}
      </div>
      {left && left.figures.length > 0 ? (
        <p className={layout.remark}>
          Not shown by any step: {[...new Set(left.figures.map((one) => one.text))].join(', ')}
        </p>
      ) : null}
      {left?.statements.map((statement) => (
        <OneStatement key={statement.start} statement={statement} />
      ))}
    </>
  );
}
