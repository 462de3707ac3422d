// The text of a statement, laid out in lines and indented; as the server keeps it on request, or where it cannot be laid out.
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { CodeBlock } from '../../../ui/code-block.tsx';

/** Longer texts, and deeper ones, would hold the page for longer than a blink. */
const MOST_FORMATTED = 10_000;
const MOST_DEPTH = 100;

function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (const sign of text) {
    if (sign === '(' || sign === '[') depth += 1;
    else if (sign === ')' || sign === ']') depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

/** Undefined where it is too long or no SQL that can be read; its code is fetched with the first text. */
async function formatted(text: string): Promise<string | undefined> {
  if (text.length > MOST_FORMATTED || depthOf(text) > MOST_DEPTH) return undefined;
  try {
    const { formatDialect, postgresql } = await import('sql-formatter');
    return formatDialect(text, { dialect: postgresql, keywordCase: 'preserve' });
  } catch {
    return undefined;
  }
}

export function StatementText({ query, queryid }: { query: string; queryid: string }) {
  const [laidOut, setLaidOut] = useState<{ of: string; text: string | undefined }>();
  const [isRaw, setRaw] = useState(false);
  useEffect(() => {
    let isOver = false;
    void formatted(query).then((text) => {
      if (!isOver) setLaidOut({ of: query, text });
    });
    return () => {
      isOver = true;
    };
  }, [query]);
  const text = laidOut?.of === query ? laidOut.text : undefined;
  return (
    <CodeBlock
      code={isRaw ? query : (text ?? query)}
      label="As pg_stat_statements keeps it, without its constants"
      fileName={`${queryid}.sql`}
      actions={
        text === undefined || text === query ? undefined : (
          <Button variant="default" size="compact-xs" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            As stored
          </Button>
        )
      }
    />
  );
}
