// Statements that log_statement wrote, until the process writes how long they took: `duration: 5.0 ms` alone is of the one before.
// Guards: memory is bounded; a statement that failed has no duration.

const MOST_WAITING = 1000;
/** As much as is compared of it. */
const LONGEST = 10_000;

export class LoggedStatements {
  readonly #byProcess = new Map<string, string>();

  /** Of `statement: …` or `execute …: …`. */
  began(pid: string, message: string): void {
    const start = message.indexOf(': ') + 2;
    this.#byProcess.delete(pid);
    if (pid === '' || this.#byProcess.size >= MOST_WAITING) return;
    // In a string of its own: a piece keeps the whole that it was cut from.
    const text = Buffer.from(message.slice(start, start + LONGEST), 'latin1').toString('latin1');
    this.#byProcess.set(pid, text);
  }

  failed(pid: string): void {
    this.#byProcess.delete(pid);
  }

  /** The statement that the duration is of, once; undefined where it was not logged. */
  ended(pid: string): string | undefined {
    const text = this.#byProcess.get(pid);
    this.#byProcess.delete(pid);
    return text;
  }
}
