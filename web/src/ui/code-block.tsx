// Text to take away: always shown as text, scrolls inside itself, can be copied and kept as a file.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { inertBlock } from '../lib/inert-text.ts';
import classes from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';
import { DownloadIcon } from './icons.ts';

export interface CodeBlockProps {
  code: string;
  label: string;
  /** Offers the text as a file of this name. */
  fileName?: string;
  /** What else can be done with it, before "Copy". */
  actions?: ReactNode;
}

function saveAs(fileName: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}

export function CodeBlock({ code: given, label, fileName, actions }: CodeBlockProps) {
  // Also what is selected by hand is pasted into terminals.
  const code = inertBlock(given);
  return (
    <figure className={classes.block}>
      <figcaption className={classes.head}>
        <span className={classes.label}>{label}</span>
        {fileName === undefined ? null : (
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<DownloadIcon size={13} />}
            onClick={() => saveAs(fileName, code)}
          >
            Download
          </Button>
        )}
        {actions}
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
