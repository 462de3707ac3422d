// Which databases of a server were made since they were listed last: what these hold happened since then. Pure. Guards: only
// where the list before was complete, templates included, and of the same life of the server; a database that was renamed, or was a
// template before, is none.

/** All databases of a server at one time, by their object ids. */
export interface DatabaseList {
  readonly ids: ReadonlySet<string>;
  /** None was cut off. */
  readonly isWhole: boolean;
  /** By the collector's clock. */
  readonly at: number;
  readonly server_instance: string | undefined;
}

export class DatabaseBirths {
  #list: DatabaseList | undefined;
  #madeAfter = new Map<string, number>();

  listed(list: DatabaseList): void {
    const before = this.#list;
    this.#list = list;
    const known = new Map([...this.#madeAfter].filter(([id]) => list.ids.has(id)));
    const isSame = before !== undefined && before.server_instance === list.server_instance;
    this.#madeAfter = isSame ? known : new Map();
    if (!isSame || !before.isWhole) return;
    for (const id of list.ids) if (!before.ids.has(id)) this.#madeAfter.set(id, before.at);
  }

  /** When all were listed last without it; undefined: nobody knows. */
  madeAfter(dbid: string): number | undefined {
    return this.#madeAfter.get(dbid);
  }
}
