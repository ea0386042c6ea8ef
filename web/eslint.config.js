import tseslint from 'typescript-eslint';

/** Text of a file is only ever a text node: whatever takes HTML or code as a string is refused. */
const strings = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'dangerouslySetInnerHTML', 'srcdoc'];

export default tseslint.config(
  { ignores: ['node_modules', 'dev', 'e2e'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-properties': ['error', ...strings.map((property) => ({ property })), { object: 'document', property: 'write' }],
      'no-restricted-syntax': ['error', { selector: `JSXAttribute[name.name=/^(${strings.join('|')})$/]`, message: 'Text nodes only.' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
);
