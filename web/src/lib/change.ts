// How a figure differs from the same of another time, in few signs. Pure.

/** "×1.5", "−40 %", "same"; null where it cannot be said. */
export function changeText(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  if (now === before) return 'same';
  if (before === 0) return 'new';
  const factor = now / before;
  if (factor >= 1.5) return `×${Number(factor.toPrecision(2))}`;
  const percent = Math.round((factor - 1) * 100);
  if (percent === 0) return 'same';
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}
