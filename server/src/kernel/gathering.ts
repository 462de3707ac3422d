// Who is there at the moment, of many who come and go with each request, in the order in which they came. Guards: nobody
// is held by it who has left. A Set does not do: every few members it makes a new table, a table keeps whoever was there
// at its time, and each holds the next one, so that all that follow the first one that has grown old grow old as well. A
// fifth of all that requests made stayed in memory for that until everything was collected.

interface Place<T> {
  member: T | undefined;
  before: Place<T>;
  after: Place<T>;
}

/** One that is its own neighbour. */
function alone<T>(member: T | undefined): Place<T> {
  const place: Partial<Place<T>> & { member: T | undefined } = { member };
  return Object.assign(place, { before: place, after: place }) as Place<T>;
}

export class Gathering<T> {
  /** Before the first and behind the last. */
  readonly #ends: Place<T> = alone<T>(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Who has been there longest. */
  get first(): T | undefined {
    return this.#ends.after.member;
  }

  /** Answers how to leave; to leave twice is to leave once. */
  enter(member: T): () => void {
    const { before } = this.#ends;
    const place: Place<T> = { member, before, after: this.#ends };
    before.after = place;
    this.#ends.before = place;
    this.#size += 1;
    return () => this.#leave(place);
  }

  #leave(place: Place<T>): void {
    if (place.member === undefined) return;
    place.before.after = place.after;
    place.after.before = place.before;
    // What has grown old and left must not hold who came later.
    place.member = undefined;
    place.before = this.#ends;
    place.after = this.#ends;
    this.#size -= 1;
  }

  /** All who are there now. */
  all(): T[] {
    const found: T[] = [];
    for (let place = this.#ends.after; place.member !== undefined; place = place.after)
      found.push(place.member);
    return found;
  }
}
