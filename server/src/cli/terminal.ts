// Reading a secret from the person at the terminal, without echo, or from whatever is piped in. Nothing that is
// typed here is ever printed.
import { UsageError } from '../kernel/errors.ts';
import { Secret } from '../kernel/secret.ts';

const LONGEST = 4096;
const CONTROL_C = '\u0003';
const CONTROL_D = '\u0004';
const BACKSPACE = '\u0008\u007f';

/** Standard input, or whatever stands in for it. */
export type SecretInput = NodeJS.ReadableStream & {
  isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
};

/** What was read beyond a line, kept for the next one. */
interface Rest {
  text: string;
}

function readUntil(
  input: SecretInput,
  accept: (chunk: string) => string | Error | undefined,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const onData = (chunk: Buffer | string) => settle(accept(chunk.toString('utf8')));
  const onEnd = () => settle(accept('\n'));
  const settle = (outcome: string | Error | undefined) => {
    if (outcome === undefined) return;
    input.off('data', onData).off('end', onEnd).off('error', reject);
    input.pause();
    if (typeof outcome === 'string') resolve(outcome);
    else reject(outcome);
  };
  input.on('data', onData).on('end', onEnd).on('error', reject);
  input.resume();
  return promise;
}

function pipedLine(input: SecretInput, rest: Rest): Promise<string> {
  const take = (chunk: string) => {
    rest.text += chunk;
    if (rest.text.length > LONGEST) return new UsageError('The line that was piped in is too long.');
    const end = rest.text.indexOf('\n');
    if (end === -1) return undefined;
    const line = rest.text.slice(0, end).replace(/\r$/, '');
    rest.text = rest.text.slice(end + 1);
    return line;
  };
  const known = rest.text.includes('\n') ? take('') : undefined;
  return typeof known === 'string' ? Promise.resolve(known) : readUntil(input, take);
}

function typedLine(input: SecretInput): Promise<string> {
  let typed: string[] = [];
  return readUntil(input, (chunk) => {
    for (const key of chunk) {
      if (key === CONTROL_C || key === CONTROL_D) return new UsageError('Cancelled.');
      if (key === '\r' || key === '\n') return typed.join('');
      if (BACKSPACE.includes(key)) typed = typed.slice(0, -1);
      else if (key >= ' ' && typed.length < LONGEST) typed.push(key);
    }
    return undefined;
  });
}

/** A function that reads one secret at a time; `prompt` is written only to a person. */
export function secretReader(input: SecretInput, write: (text: string) => void) {
  const rest: Rest = { text: '' };
  return async (prompt: string): Promise<Secret> => {
    if (!input.isTTY) return new Secret(await pipedLine(input, rest));
    write(prompt);
    input.setRawMode?.(true);
    try {
      return new Secret(await typedLine(input));
    } finally {
      input.setRawMode?.(false);
      write('\n');
    }
  };
}
