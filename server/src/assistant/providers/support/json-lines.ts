// For SDKs that write what they cannot read to the console: lines of JSON are checked before they get them.
import { OutboundError } from '../../../kernel/http/outbound-error.ts';

const LONGEST_LINE = 4 * 1024 * 1024;

function demandJson(line: string): void {
  if (line.trim() === '') return;
  try {
    JSON.parse(line);
  } catch {
    throw new OutboundError('failed', { code: 'NOT_JSON' });
  }
}

/** The same bytes, whole lines only; ends with an error at the first one that is no JSON. */
function checkedLines(): TransformStream<string, string> {
  let begun = '';
  return new TransformStream({
    transform(text, controller) {
      begun += text;
      const end = begun.lastIndexOf('\n') + 1;
      if (begun.length - end > LONGEST_LINE) throw new OutboundError('failed', { code: 'ANSWER_TOO_LONG' });
      const whole = begun.slice(0, end);
      begun = begun.slice(end);
      for (const line of whole.split('\n')) demandJson(line);
      if (whole !== '') controller.enqueue(whole);
    },
    flush(controller) {
      demandJson(begun);
      if (begun !== '') controller.enqueue(begun);
    },
  });
}

/** `fetch`, whose answers of lines of JSON are checked while they come. */
export function withCheckedLines(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (!answer.body || !answer.headers.get('content-type')?.includes('ndjson')) return answer;
    const body = answer.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(checkedLines())
      .pipeThrough(new TextEncoderStream());
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
}
