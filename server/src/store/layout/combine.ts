// How the values of several entities at one moment become one, as the rooms of the store know it.
export { type Combine, combined, combineOf } from '../../probes/combine.ts';
