// Doubly linked list of requests and clients that are active, oldest first. Guards: a member that was removed is not kept in
// memory. A Set is not enough: it makes a new table every few members, an old table keeps the members of its time and the
// table after it, and so a fifth of the memory of requests stayed until a full garbage collection.

interface ListNode<T> {
  member: T | undefined;
  before: ListNode<T>;
  after: ListNode<T>;
}

/** One that is its own neighbour. */
function alone<T>(member: T | undefined): ListNode<T> {
  const place: Partial<ListNode<T>> & { member: T | undefined } = { member };
  return Object.assign(place, { before: place, after: place }) as ListNode<T>;
}

export class LinkedList<T> {
  /** Before the first and behind the last. */
  readonly #ends: ListNode<T> = alone<T>(undefined);
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
    const place: ListNode<T> = { member, before, after: this.#ends };
    before.after = place;
    this.#ends.before = place;
    this.#size += 1;
    return () => this.#leave(place);
  }

  #leave(place: ListNode<T>): void {
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
