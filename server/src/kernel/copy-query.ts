// Several COPYs in one message to the server and one answer, with a last statement if there is one. The server reads what
// comes after a COPY once that has ended, and after an error nothing until the end, so nobody has to wait for it to say that
// it is ready for each. Guards: when one fails, nothing that comes after it is run.
// Source: PostgreSQL documentation, "Message Flow", COPY operations and extended query.
import type { Submittable } from 'pg';
import { type DriverConnection, MessageBatch } from './driver.ts';

export interface CopyChunks {
  /** `copy … from stdin`. */
  text: string;
  /** Lines with their newlines. */
  chunks: readonly Uint8Array[];
}

type Done = (error: Error | null | undefined) => void;

export class CopyQuery implements Submittable {
  /** The driver sets another one around it. */
  callback: Done;
  readonly #copies: readonly CopyChunks[];
  readonly #last: string | undefined;

  constructor(copies: readonly CopyChunks[], last: string | undefined, callback: Done) {
    this.#copies = copies;
    this.#last = last;
    this.callback = callback;
  }

  submit(connection: object): null {
    new MessageBatch(connection as DriverConnection).send(true, (batch) => {
      const run = (text: string) => {
        batch.parse({ name: '', text });
        batch.bind({ values: [] });
        batch.execute({});
      };
      for (const { text, chunks } of this.#copies) {
        run(text);
        for (const chunk of chunks) batch.sendCopyFromChunk(chunk);
        batch.endCopyFrom();
      }
      if (this.#last !== undefined) run(this.#last);
      batch.sync();
    });
    return null;
  }

  // What was asked for is on its way already.
  handleCopyInResponse(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCopyData(): void {}

  handleError(error: Error): void {
    this.#end(error);
  }

  handleReadyForQuery(): void {
    this.#end(null);
  }

  #end(error: Error | null): void {
    const { callback } = this;
    this.callback = () => undefined;
    callback(error);
  }
}
