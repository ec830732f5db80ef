/** A statement at the left margin that runs code of its file. */
const RUNS = /^(?:(?:else |[\w.]+ = )?await |main\(|try \{)/
const DECLARES = /^(?:export )?(?:const|let|class) (\w+|[[{])/

/**
 * Names that are declared below the first statement that runs. Functions can be called above their declaration, but one that
 * uses a const, let or class from below fails then, which the type checker and the linter do not see.
 */
export function findLateDeclarations(source: string): string[] {
  const lines = source.split('\n')
  const first = lines.findIndex((line) => RUNS.test(line))
  return first < 0 ? [] : lines.slice(first).flatMap((line) => DECLARES.exec(line)?.[1] ?? [])
}
