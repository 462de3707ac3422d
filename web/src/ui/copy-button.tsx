// Copies a text and says so, in the button and to those who listen.
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { inertBlock } from '../lib/inert-text.ts';
import { CopyIcon, DoneIcon } from './icons.ts';

/** Plain http on another host has no clipboard API; a selection still copies there. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    area.className = 'visually-hidden';
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const words = { idle: label, copied: 'Copied', failed: 'Press Ctrl+C' };
  return (
    <Button
      variant="default"
      size="compact-xs"
      leftSection={state === 'copied' ? <DoneIcon size={13} /> : <CopyIcon size={13} />}
      onClick={async () => setState((await copyText(inertBlock(text))) ? 'copied' : 'failed')}
    >
      <span aria-live="polite">{words[state]}</span>
    </Button>
  );
}
