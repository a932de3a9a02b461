"""`python -m gradclinic`: the same as the `gradclinic` command."""

from gradclinic.cli.main import main

raise SystemExit(main())
