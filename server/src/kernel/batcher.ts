// Batches requests about the same subject: requests that arrive while one runs wait for it and are answered together by the next
// run. Guards: an answer is never older than its request, since a run begins after all requests that it answers; a run that
// fails or is slow delays no other subject.
import type { Db } from './db.ts';
import { shared } from './leaving.ts';

interface Waiter<In, Out> {
  asked: In;
  db: Db | undefined;
  answer: PromiseWithResolvers<Out>;
}

export class Batcher<In, Out> {
  readonly #waiting = new Map<string, Waiter<In, Out>[]>();
  readonly #work: (asked: readonly In[], db: Db | undefined) => Promise<readonly Out[]>;

  /** `work` answers in the order of those who asked, at least one, from a datastore that ends with the last of them. */
  constructor(work: (asked: readonly In[], db: Db | undefined) => Promise<readonly Out[]>) {
    this.#work = work;
  }

  /** Begins in the next turn of the event loop, so that those who come in one turn are together. */
  ask(about: string, asked: In, db?: Db): Promise<Out> {
    const answer = Promise.withResolvers<Out>();
    const own = this.#waiting.get(about);
    if (own) own.push({ asked, db, answer });
    else {
      this.#waiting.set(about, [{ asked, db, answer }]);
      setImmediate(() => void this.#serve(about));
    }
    return answer.promise;
  }

  /** One after another, until nobody waits. */
  async #serve(about: string): Promise<void> {
    for (;;) {
      const own = this.#waiting.get(about) ?? [];
      if (own.length === 0) break;
      this.#waiting.set(about, []);
      await this.#answer(own);
    }
    this.#waiting.delete(about);
  }

  async #answer(own: readonly Waiter<In, Out>[]): Promise<void> {
    try {
      const answers = await this.#work(
        own.map(({ asked }) => asked),
        shared(own.flatMap(({ db }) => db ?? [])),
      );
      for (const [index, found] of answers.entries()) own[index]?.answer.resolve(found);
      if (answers.length < own.length) throw new Error('work that is done together answers all callers');
    } catch (error) {
      for (const { answer } of own) answer.reject(error);
    }
  }
}
