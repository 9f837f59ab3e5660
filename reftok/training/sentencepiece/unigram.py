def train_unigram(*a): raise NotImplementedError
