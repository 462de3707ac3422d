// The worker that has PostgreSQL's grammar in it, compiled to WebAssembly. Guards: its memory is capped; after anything but an answer or
// a syntax error its state is unknown, and it says that it has to be replaced.
import { parentPort } from 'node:worker_threads';
import { describe } from './describe.ts';
import { LONGEST_ANSWER, MOST_MEMORY_BYTES } from './limits.ts';
import { TreeTooDeep } from './tree.ts';
import type { Refusal } from './types.ts';

/** From the worker: it is ready, or what became of the text. */
export type WorkerAnswer =
  | { kind: 'ready' }
  | { kind: 'parsed'; answer: string }
  | { kind: 'refused'; why: Refusal; message: string; isBroken: boolean };

const PAGE_BYTES = 65_536;

interface GrowingMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Part of every JavaScript engine; the compiler knows it only where it knows browsers. */
declare const WebAssembly: { readonly Memory: { readonly prototype: GrowingMemory } };

/** The grammar asks for more memory by this function, and fails with "out of memory" when it throws. */
function capMemory(): void {
  const { prototype } = WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function capped(this: GrowingMemory, pages: number): number {
    if (this.buffer.byteLength + pages * PAGE_BYTES > MOST_MEMORY_BYTES) throw new RangeError('capped');
    return grow.call(this, pages);
  };
}

const refused = (why: Refusal, message: string, isBroken = false): WorkerAnswer => ({
  kind: 'refused',
  why,
  message,
  isBroken,
});

const OUT_OF_MEMORY = /^(?:memory exhausted|out of memory|stack depth limit)/;

/** What was made of a tree is ours: the grammar is as good as before. */
function refusalOfTree(error: unknown): WorkerAnswer {
  if (error instanceof TreeTooDeep) return refused('too_deep', '');
  return refused('too_large', error instanceof Error ? error.message : String(error));
}

function refusalOf(error: unknown): WorkerAnswer {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.name === 'SqlError')
    return OUT_OF_MEMORY.test(message) ? refused('too_deep', '', true) : refused('syntax', message);
  // The stack of the grammar or of JSON overflowed, or the grammar gave up for want of memory.
  return refused('too_large', message, true);
}

async function start(port: NonNullable<typeof parentPort>): Promise<void> {
  capMemory();
  const { fingerprintSync, loadModule, parseSync } = await import('libpg-query');
  await loadModule();
  const parsed = (text: string): WorkerAnswer => {
    const tree = parseSync(text);
    let statements: ReturnType<typeof describe>;
    try {
      statements = describe(tree);
    } catch (error) {
      return refusalOfTree(error);
    }
    const answer = JSON.stringify({ statements, fingerprint: fingerprintSync(text) });
    return answer.length > LONGEST_ANSWER ? refused('too_large', '') : { kind: 'parsed', answer };
  };
  port.on('message', (text: unknown) => {
    try {
      port.postMessage(parsed(String(text)));
    } catch (error) {
      port.postMessage(refusalOf(error));
    }
  });
  port.postMessage({ kind: 'ready' } satisfies WorkerAnswer);
}

if (parentPort) await start(parentPort);
