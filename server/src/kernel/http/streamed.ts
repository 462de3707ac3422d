// An answer that is read while it comes. Guards: it is never longer than agreed; who reads no further leaves the other side.
import type { Dispatcher } from 'undici';
import { OutboundError } from './outbound-error.ts';

/** Its content type. */
export const typeOf = ({ headers }: Dispatcher.ResponseData) => {
  const type = headers['content-type'];
  return typeof type === 'string' ? type : 'application/json';
};

/** An answer while it comes. */
export interface Opened {
  /** Its content type. */
  type: string;
  bytes: AsyncGenerator<Uint8Array, void>;
  /** Ends it now, also while the next bytes are waited for. */
  leave(): void;
}

/** The bytes of an answer. Its end, good or bad, is told as any other; who reads no further leaves the other side. */
export async function* bytesOf(
  { body }: Dispatcher.ResponseData,
  { max_bytes, streamed }: { max_bytes: number; streamed?: (() => void) | undefined },
  failed: (error: unknown) => OutboundError,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > max_bytes) throw new OutboundError('failed', { code: 'ANSWER_TOO_LONG' });
      streamed?.();
      yield chunk;
    }
  } catch (error) {
    throw failed(error);
  }
}

/** What comes piece by piece, in the shape that the SDKs read. */
export function responseOver({ type, bytes, leave }: Opened): Response {
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    async cancel() {
      leave();
      await bytes.return();
    },
  });
  return new Response(stream, { headers: { 'content-type': type } });
}
