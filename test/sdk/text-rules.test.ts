import t from 'tap'
import { countGraphemes, findTextProblem, type TextField } from '../../sdk/src/texts/index.ts'

t.test('texts are checked by the rules of the service', (t) => {
  const host = 'The website link must be an https URL, with letters, digits, dots and hyphens in its host.'
  const long = `https://a.example/${'a'.repeat(500)}`
  const cases: [field: TextField, text: string, problem: string | null][] = [
    ['website', 'https://cat.example.org/a_b?c=d', null],
    ['website', 'https://my_cat.example.org/', host],
    ['website', 'http://cat.example.org/', host],
    ['website', long, 'The website link must have at most 500 characters.'],
    ['twitter', 'https://x.com/harbourcat', null],
    ['twitter', 'https://x.com/', 'The X link must be the URL of a profile or community on X, without a query.'],
    ['username', 'harbour_cat', null],
    ['bio', '👩‍👩‍👧‍👦'.repeat(300), null],
    ['bio', 'a'.repeat(301), 'The text about you must have at most 300 characters.'],
    ['bio', '', 'The text about you is missing.'],
    ['description', '🐱'.repeat(1_000), null],
    ['description', '🐱'.repeat(1_001), 'The description must have at most 1000 characters.'],
    ['name', 'Harbour\u0007Cat', 'The name must not contain control characters.'],
  ]
  for (const [field, text, problem] of cases) t.equal(findTextProblem(field, text), problem, `${field}: ${text}`)
  t.equal(countGraphemes('👩‍👩‍👧‍👦🇳🇴a'), 3)
  t.end()
})
