// A share of a whole as a thin bar. The numbers stand beside it in words; the bar itself is decoration. Drawn as SVG
// because a width from data would otherwise be an inline style.
import classes from './meter.module.css';

export interface MeterProps {
  /** 0–100. */
  percent: number;
  tone?: 'plain' | 'warn' | 'bad';
}

export function Meter({ percent, tone = 'plain' }: MeterProps) {
  const width = percent > 0 ? Math.max(percent, 0.8) : 0;
  return (
    <svg
      className={classes.meter}
      data-tone={tone}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect className={classes.track} width="100" height="4" />
      <rect className={classes.fill} width={width} height="4" />
    </svg>
  );
}
