// Requests to try again what is not well. Guards: one is followed once, however often it is told, and those who ask again and again do not
// make a server be asked all the time.
const GAP_MS = 2000;

export class Retests {
  /** The newest request that was followed, and when. */
  #newest = { asked: 0, at: Number.NEGATIVE_INFINITY };

  /** Whether it is to be followed now; of one that comes too soon the next look at the datastore tells again. */
  follow(asked: number, now: number): boolean {
    if (asked <= this.#newest.asked || now - this.#newest.at < GAP_MS) return false;
    this.#newest = { asked, at: now };
    return true;
  }
}
