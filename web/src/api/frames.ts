// Server-sent events out of the body of an answer: frames are separated by empty lines; comments keep the line open.

export interface Frame {
  id: string;
  event: string;
  data: string;
}

function frameOf(block: string): Frame | undefined {
  const frame = { id: '', event: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    if (at <= 0) continue;
    const value = line.slice(at + 1).replace(/^ /, '');
    const name = line.slice(0, at);
    if (name === 'data') data.push(value);
    else if (name === 'id') frame.id = value;
    else if (name === 'event') frame.event = value;
  }
  return data.length === 0 ? undefined : { ...frame, data: data.join('\n') };
}

/** Frames in order, until the server ends the stream. Throws when the line breaks. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = `${rest}${decoder.decode(value, { stream: true })}`
        .replaceAll('\r\n', '\n')
        .split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const frame = frameOf(block);
        if (frame) yield frame;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
