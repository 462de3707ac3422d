// What hostile servers cost everybody else, as testing/faults/hostile-herd.ts measures it. Judges nothing.
// Run: npm run bench -- hostile [seconds] [mode]
import { type HostileFigures, hostileHerd } from '../testing/faults/hostile-herd.ts';
import { print } from './print.ts';

const [seconds = '30', mode = 'rows of 1,600 tiny columns without end'] = process.argv.slice(2);

function show({ peak, pause, samples, p50, p99 }: HostileFigures): void {
  print(`  memory, at most            ${peak.toFixed(0)} MB`);
  print(
    `  longest pause of a sample  ${(pause / 1000).toFixed(2)} s (${samples} samples, one a second wanted)`,
  );
  print(`  API                        p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
}

const herd = await hostileHerd({ seconds: Number(seconds), mode });
const { alone, beside, tests } = herd;
print(`healthy connections, ${seconds} s`);
show(alone);
print(`\nbeside hostile ones (${mode}), ${seconds} s`);
show(beside);
print(
  `  hostile servers            ${herd.connections} connections, ${(herd.sent / 1048576).toFixed(1)} MB sent`,
);
print(`  said of one                ${herd.said ?? 'nothing'}`);
print(
  `\nmore than alone: memory ${(beside.peak - alone.peak).toFixed(0)} MB, ` +
    `pause ${((beside.pause - alone.pause) / 1000).toFixed(2)} s, p99 × ${(beside.p99 / alone.p99).toFixed(2)}`,
);
print(
  `\ntests of hostile servers at once: ${tests.seconds.toFixed(1)} s, memory at most ${tests.peak.toFixed(0)} MB`,
);
print(`deleting them: ${herd.deleting_seconds.toFixed(1)} s`);
