// A state as icon, word and colour together: the colour is never the only signal, and each icon has its own outline.
import type { ComponentType } from 'react';
import {
  FailedIcon,
  InfoIcon,
  OkIcon,
  PausedIcon,
  SkippedIcon,
  StaleIcon,
  UnknownIcon,
  WaitingIcon,
  WarningIcon,
} from './icons.ts';
import classes from './status.module.css';

type Tone = 'ok' | 'warn' | 'bad' | 'idle';
export type Mark =
  | 'ok'
  | 'info'
  | 'warning'
  | 'failed'
  | 'waiting'
  | 'unknown'
  | 'paused'
  | 'skipped'
  | 'stale';

const MARKS: Record<Mark, { icon: ComponentType<{ size: number }>; tone: Tone }> = {
  ok: { icon: OkIcon, tone: 'ok' },
  info: { icon: InfoIcon, tone: 'idle' },
  warning: { icon: WarningIcon, tone: 'warn' },
  failed: { icon: FailedIcon, tone: 'bad' },
  waiting: { icon: WaitingIcon, tone: 'idle' },
  unknown: { icon: UnknownIcon, tone: 'idle' },
  paused: { icon: PausedIcon, tone: 'idle' },
  skipped: { icon: SkippedIcon, tone: 'idle' },
  stale: { icon: StaleIcon, tone: 'warn' },
};

export interface StatusProps {
  mark: Mark;
  label: string;
  /** Shows the icon alone; the word is still there for those who listen. */
  iconOnly?: boolean;
  size?: number;
}

export function Status({ mark, label, iconOnly = false, size = 16 }: StatusProps) {
  const { icon: Icon, tone } = MARKS[mark];
  return (
    <span className={classes.status} data-tone={tone} title={iconOnly ? label : undefined}>
      <span className={classes.icon} aria-hidden="true">
        <Icon size={size} />
      </span>
      <span className={iconOnly ? 'visually-hidden' : classes.word}>{label}</span>
    </span>
  );
}
