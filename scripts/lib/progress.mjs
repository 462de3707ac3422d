// Steps that may take a while. A terminal sees one line that counts seconds; anything else (a file, a CI log) gets
// whole lines: one when a step passes a second, one every ten seconds, one at its end.
import process from 'node:process';

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const whole = (ms) => `${Math.floor(ms / 1000)} s`;

/**
 * Runs `work`; quiet when it takes less than a second. What it resolves with, when a text, is shown at the end. `out` is where it is
 * shown: stderr where stdout is what somebody asked for.
 */
export async function step(label, work, out = process.stdout) {
  const began = performance.now();
  let shown = false;
  let ticks = 0;
  const tick = () => {
    ticks += 1;
    const elapsed = whole(performance.now() - began);
    if (out.isTTY) out.write(`\r\x1b[2K… ${label} (${elapsed})`);
    else if (!shown) out.write(`… ${label}\n`);
    else if (ticks % 10 === 0) out.write(`… ${label} (${elapsed})\n`);
    shown = true;
  };
  const timer = setInterval(tick, 1000);
  const finish = (sign, note) => {
    clearInterval(timer);
    if (!shown) return;
    const end = `${sign} ${label} (${seconds(performance.now() - began)})${note ? `: ${note}` : ''}\n`;
    out.write(out.isTTY ? `\r\x1b[2K${end}` : end);
  };
  try {
    const result = await work();
    finish('✓', typeof result === 'string' ? result : '');
    return result;
  } catch (error) {
    finish('✗', '');
    throw error;
  }
}
