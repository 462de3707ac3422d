// A value that is made when somebody asks for it, and then the same for everyone. Pure. Guards: a call that throws is not
// remembered, so that the next one tries again.

/** Makes it at the first call and hands out the same from then on. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
