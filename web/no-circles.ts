// Fails a build whose files import each other in a circle: which of them runs first is then by chance, and a page that reads what another
// file has not set yet stays blank.
import type { Plugin, Rolldown } from 'vite';

/** The files of one circle, in the order of their imports; undefined where there is none. */
function circleOf(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    const at = path.indexOf(file);
    if (at >= 0) return [...path.slice(at), file];
    if (done.has(file)) return undefined;
    done.add(file);
    for (const next of imports.get(file) ?? []) {
      const found = visit(next, [...path, file]);
      if (found) return found;
    }
    return undefined;
  };
  for (const file of imports.keys()) {
    const found = visit(file, []);
    if (found) return found;
  }
  return undefined;
}

export function noCircles(): Plugin {
  return {
    name: 'no-circles',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle: Rolldown.OutputBundle) {
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
        const circle = circleOf(new Map(chunks.map(({ fileName, imports }) => [fileName, imports])));
        if (circle) this.error(`These files import each other: ${circle.join(' → ')}. See codeSplitting.`);
      },
    },
  };
}
