// Frames of server-sent events come whole, however the bytes were cut on their way.
import { expect, it } from 'vitest';
import { type Frame, readFrames } from './frames.ts';

function bodyOf(text: string, step: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += step) controller.enqueue(bytes.slice(at, at + step));
      controller.close();
    },
  });
}

const TEXT =
  ':keepalive\n\nid: r:1\nevent: text\ndata: {"delta":"größer: 3"}\n\ndata: a\ndata: b\n\nid: cut off';

it.each([1, 7, 1000])('reads frames that come in pieces of %i bytes', async (step) => {
  const frames: Frame[] = [];
  for await (const frame of readFrames(bodyOf(TEXT, step))) frames.push(frame);
  expect(frames).toEqual([
    { id: 'r:1', event: 'text', data: '{"delta":"größer: 3"}' },
    { id: '', event: 'message', data: 'a\nb' },
  ]);
});
