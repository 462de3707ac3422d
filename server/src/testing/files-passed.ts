// Which files of the product a piece of work passes through: those of which a function was called meanwhile, as the engine counts them.
// Guards: what was loaded before is not passed by that; whatever else the process does meanwhile counts as well, so that nothing else may run.
import { Session } from 'node:inspector/promises';

const SOURCE = /\/server\/src\/(?!testing\/)(?<path>[^?]+(?<!\.test)\.ts)(?:\?.*)?$/;

/** In order of their names, below `server/src/`. */
export async function filesPassed(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const passed = result.flatMap(({ url, functions }) => {
      const path = SOURCE.exec(url)?.groups?.path;
      const isCalled = functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
      return path !== undefined && isCalled ? [path] : [];
    });
    return [...new Set(passed)].sort();
  } finally {
    session.disconnect();
  }
}
